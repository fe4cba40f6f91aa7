package broker

import "askd/broker/ask"

// ShowDialog is showDialog to the connection that holds the call of a pending request.
func (b *Broker) ShowDialog(k ask.Key, dialog Dialog, answered func(*string)) {
	b.post(func(d *desk) {
		it := d.items[k]
		d.showDialog(it.owner, it, dialog, answered)
	})
}
