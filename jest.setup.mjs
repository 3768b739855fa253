import { clearTimeout, setTimeout } from 'node:timers';

/** Tests wait for conditions, so this timeout only ends failed tests, also on a busy machine. */
const TEST_TIMEOUT_MS = 300_000;

/** The runner has no timeout of its own. */
function withTimeout(work) {
  if (work === undefined) return undefined;
  return () => {
    let timer;
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Not done after ${TEST_TIMEOUT_MS} ms.`)), TEST_TIMEOUT_MS);
    });
    return Promise.race([Promise.resolve().then(work), timeout]).finally(() => clearTimeout(timer));
  };
}

for (const hook of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) {
  const register = globalThis[hook];
  globalThis[hook] = (work) => register(withTimeout(work));
}

const { it } = globalThis;
globalThis.it = (name, work) => it(name, withTimeout(work));
globalThis.it.each =
  (...table) =>
  (name, work) =>
    it.each(...table)(name, (...row) => withTimeout(() => work(...row))());
