// A tool that shows a form of the agent's own: the floor of a question that another program shows.
module.exports = function inside(pi) {
  pi.registerTool({
    name: "ask_inside",
    label: "Ask inside",
    description: "Ask the person in the agent's own screen.",
    parameters: {
      type: "object",
      properties: { prompt: { type: "string" }, options: { type: "array", items: { type: "string" } } },
      required: ["prompt", "options"],
    },
    async execute(_id, params, _signal, _onUpdate, ctx) {
      const chosen = await ctx.ui.select(params.prompt, params.options);
      return { content: [{ type: "text", text: chosen ?? "cancelled" }], details: {} };
    },
  });
};
