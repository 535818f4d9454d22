"""Drives `crafty mcp` with the client library for Python, which checks every answer against its schema."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def calls(program):
    yield "manual", {}
    yield "manual", {"section": "TCP"}
    yield "manual", {"query": "retransmits"}
    yield "check", {"program": program}
    yield "check", {"program": "x = 1\nx = 2\n"}
    yield "explain", {"program": program}
    yield "explain", {"code": "E0601"}
    yield "run", {"program": program}
    yield "run", {"program": program, "lab": "demo:loss=20", "events": True, "findings": True}
    yield "run_status", {}
    yield "run_status", {"run_id": "r1"}
    yield "capture_read", {"run_id": "r1", "filter": "/IP/ICMP", "fields": ["IP.src", "ICMP.type"]}
    yield "run_cancel", {"run_id": "r1"}
    yield "examples", {}
    yield "examples", {"name": "ping"}
    yield "limits", {"lab": True}


async def main(binary, program):
    async with stdio_client(StdioServerParameters(command=binary, args=["mcp"])) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            names = {tool.name for tool in (await session.list_tools()).tools}
            called = set()
            for name, arguments in calls(program):
                result = (await session.call_tool(name, arguments)).model_dump(by_alias=True)
                assert not result["isError"], (name, result)
                assert result["content"][0]["text"] and result["structuredContent"], name
                called.add(name)
            assert called == names, names - called
            wrong = (await session.call_tool("run", {"program": "x = y\n"})).model_dump(by_alias=True)
            assert wrong["isError"], wrong
            assert wrong["structuredContent"]["error"]["code"] == "program", wrong
    print("every tool answered")


asyncio.run(main(sys.argv[1], open(sys.argv[2]).read()))
