"""Asks for live runs with the client library for Python, as a person who declines, goes away, leaves the box empty and says yes."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

ANSWERS = [
    ElicitResult(action="decline"),
    ElicitResult(action="cancel"),
    ElicitResult(action="accept", content={"approve": False}),
    ElicitResult(action="accept", content={"approve": True, "scope": "once"}),
]


async def main(binary, program):
    answers = iter(ANSWERS)
    asked = []

    async def person(context, params):
        asked.append(params.message)
        return next(answers)

    call = {"program": program, "params": {"target": "10.9.1.2"}, "mode": "live"}
    results = []
    async with stdio_client(StdioServerParameters(command=binary, args=["mcp", "--live"])) as (read, write):
        async with ClientSession(read, write, elicitation_callback=person) as session:
            await session.initialize()
            for _ in ANSWERS:
                result = (await session.call_tool("run", call)).model_dump(by_alias=True)
                facts = result["structuredContent"]
                results.append(facts["error"]["code"] if result["isError"] else facts["status"])
            limits = (await session.call_tool("limits", {})).model_dump(by_alias=True)["structuredContent"]
    assert len(asked) == 4 and all("10.9.1.2" in text for text in asked), asked
    assert limits["denials"] == 3, limits
    print(f"{results.count('denied')} denied, {results.count('done')} done")


asyncio.run(main(sys.argv[1], open(sys.argv[2]).read()))
