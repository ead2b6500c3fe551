// The official TypeScript client against a server: client.mjs TRANSPORT TARGET
// PAGE. It prints what it saw as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";

const [, , kind, target, page] = process.argv;
const transports = {
  stdio: () => new StdioClientTransport({ command: target, env: { ...process.env } }),
  http: () => new StreamableHTTPClientTransport(new URL(target)),
  sse: () => new SSEClientTransport(new URL(target)),
};
const client = new Client({ name: "ts", version: "1" });
await client.connect(transports[kind]());

const text = (r) => r.content.filter((c) => c.type === "text").map((c) => c.text).join("\n");
const call = (name, args = {}) => client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
const number = (state, what) => Number(state.split("\n").find((l) => l.includes(what)).match(/\[(\d+)\]/)[1]);

const { tools } = await client.listTools();
await call("browser_navigate", { url: page });
const state = text(await call("browser_state"));
await call("browser_type", { index: number(state, "<input"), text: "Zoe" });
const after = text(await call("browser_click", { index: number(state, "Greet"), state: true }));
const shot = await call("browser_screenshot");
const wrong = await call("browser_click", { index: 999 });
const progress = [];
let task = null;
if (tools.some((t) => t.name === "run_task")) {
  task = await client.callTool({ name: "run_task", arguments: { task: "Look" } }, undefined, {
    timeout: 120_000,
    onprogress: (p) => progress.push(p),
  });
}
console.log(JSON.stringify({
  tools: tools.length,
  after,
  image: shot.content[0].type + " " + shot.content[0].mimeType,
  wrong: wrong.isError === true,
  task: task && text(task),
  progress: progress.length,
}));
await client.close();
