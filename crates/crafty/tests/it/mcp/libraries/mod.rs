//! Real client libraries drive the server; both check every answer against its schema. `./test`
//! installs them.

use crate::tool::{CRAFTY, example, root, run, skipped};

/// Where `./test` installs them.
const FOLDER: &str = "target/mcp-clients";

fn check(language: &str, interpreter: &str, needs: &str, script: &str) {
    let folder = root().join(FOLDER);
    let interpreter = match interpreter.contains('/') {
        true => folder.join(interpreter).display().to_string(),
        false => interpreter.to_string(),
    };
    if skipped(
        folder.join(needs).exists(),
        &format!("the MCP client library for {language} is not installed"),
    ) {
        return;
    }
    let script = root()
        .join("crates/crafty/tests/it/mcp/libraries")
        .join(script);
    // Node.js finds packages from the folder of the script on.
    let copy = folder.join(script.file_name().expect("a name"));
    std::fs::copy(&script, &copy).expect("the script is copied");
    let words = [
        interpreter.as_str(),
        &copy.display().to_string(),
        CRAFTY,
        &example("ping.crafty"),
    ];
    run(&words).expect(0).says(&["every tool answered"]);
}

#[test]
fn the_library_for_python_drives_every_tool() {
    check(
        "Python",
        "python/bin/python",
        "python/bin/python",
        "client.py",
    );
}

#[test]
fn the_library_for_node_drives_every_tool() {
    check(
        "Node.js",
        "node",
        "node_modules/@modelcontextprotocol/sdk",
        "client.mjs",
    );
}
