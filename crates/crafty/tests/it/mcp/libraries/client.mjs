// Drives `crafty mcp` with the client library for Node.js, which checks every answer against its schema.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [binary, file] = process.argv.slice(2);
const program = readFileSync(file, "utf8");
const calls = [
  ["manual", {}],
  ["manual", { section: "TCP" }],
  ["check", { program }],
  ["check", { program: "x = 1\nx = 2\n" }],
  ["explain", { program }],
  ["explain", { code: "E0601" }],
  ["run", { program }],
  ["run", { program, lab: "demo:loss=20", events: true, findings: true }],
  ["run_status", {}],
  ["run_status", { run_id: "r1" }],
  ["capture_read", { run_id: "r1", filter: "/IP/ICMP", fields: ["IP.src", "ICMP.type"] }],
  ["run_cancel", { run_id: "r1" }],
  ["examples", { name: "ping" }],
  ["limits", { lab: true }],
];

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: binary, args: ["mcp"] }));
const names = new Set((await client.listTools()).tools.map((tool) => tool.name));
for (const [name, args] of calls) {
  const result = await client.callTool({ name, arguments: args });
  assert(!result.isError, JSON.stringify(result));
  assert(result.content[0].text && result.structuredContent, name);
  names.delete(name);
}
assert.equal(names.size, 0);
const wrong = await client.callTool({ name: "run", arguments: { program: "x = y\n" } });
assert(wrong.isError && wrong.structuredContent.error.code === "program", JSON.stringify(wrong));
await client.close();
console.log("every tool answered");
