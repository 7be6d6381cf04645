// npm run mock -- [--nodes N] [--port P] [--seed S] [--delay MILLISECONDS]
import path from "node:path";
import { parseArgs } from "node:util";
import { Mock } from "./server.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    port: { type: "string", default: "8600" },
    seed: { type: "string", default: "1" },
    delay: { type: "string", default: "0" },
  },
});
const mock = new Mock({
  nodes: Number(values.nodes),
  seed: Number(values.seed),
  delay: Number(values.delay),
  files: path.resolve("dist"),
});
mock.start();
const { url } = await mock.listen(Number(values.port));
console.log(`Dashboard with ${values.nodes} made-up nodes: ${url}`);
