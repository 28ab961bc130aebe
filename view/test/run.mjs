// node run.mjs PAGE_FOLDER CAIRN [TEST...]: the tests named, or all. Exit code 77: skipped, with the reason.
import { main } from "./harness.mjs";
import "./command_tests.mjs";
import "./replay_tests.mjs";
import "./shown_tests.mjs";
import "./socket_tests.mjs";

await main(process.argv.slice(2));
