import { clearTimeout, setTimeout } from 'node:timers';

/** Tests wait for conditions, so this timeout only ends failed tests, also on a busy machine. */
const TEST_TIMEOUT_MS = 300_000;

class TimeoutError extends Error {
  name = 'TimeoutError';
}

/** The runner has no timeout of its own. */
function withTimeout(work) {
  if (work === undefined) return undefined;
  return () => {
    let timer;
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new TimeoutError(`Not done after ${TEST_TIMEOUT_MS} ms.`)),
        TEST_TIMEOUT_MS,
      );
    });
    return Promise.race([Promise.resolve().then(work), timeout]).finally(() => clearTimeout(timer));
  };
}

for (const hook of ['beforeAll', 'beforeEach', 'afterEach', 'afterAll']) {
  const register = globalThis[hook];
  globalThis[hook] = (work) => register(withTimeout(work));
}

/** The tests of a file may share a system, so that each one after the first would wait for its timeout, too. */
const timedOut = new Set();

function asTest(work) {
  const limited = withTimeout(work);
  return async () => {
    const file = globalThis.expect.getState().testPath;
    if (timedOut.has(file)) throw new Error('Not run, because an earlier test of this file timed out.');
    await limited().catch((error) => {
      if (error instanceof TimeoutError) timedOut.add(file);
      throw error;
    });
  };
}

const { it } = globalThis;
globalThis.it = (name, work) => it(name, asTest(work));
globalThis.it.each =
  (...table) =>
  (name, work) =>
    it.each(...table)(name, (...row) => asTest(() => work(...row))());
