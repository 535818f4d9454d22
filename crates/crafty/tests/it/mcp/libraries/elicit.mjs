// Asks for live runs with the client library for Node.js, as a person who declines, goes away, leaves the box empty and says yes.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [binary, file] = process.argv.slice(2);
const answers = [
  { action: "decline" },
  { action: "cancel" },
  { action: "accept", content: { approve: false } },
  { action: "accept", content: { approve: true, scope: "once" } },
];
const asked = [];
const results = [];
const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  return answers[asked.length - 1];
});
await client.connect(new StdioClientTransport({ command: binary, args: ["mcp", "--live"] }));
const call = { program: readFileSync(file, "utf8"), params: { target: "10.9.1.2" }, mode: "live" };
for (const _ of answers) {
  const result = await client.callTool({ name: "run", arguments: call });
  results.push(result.isError ? result.structuredContent.error.code : result.structuredContent.status);
}
const limits = (await client.callTool({ name: "limits", arguments: {} })).structuredContent;
assert(asked.length === 4 && asked.every((text) => text.includes("10.9.1.2")), String(asked));
assert.equal(limits.denials, 3);
await client.close();
const count = (word) => results.filter((result) => result === word).length;
console.log(`${count("denied")} denied, ${count("done")} done`);
