import { setImmediate as turn } from 'node:timers/promises';
import { Readiness } from './readiness.js';

it('does not start a check again that has not ended', async () => {
  const readiness = new Readiness();
  let started = 0;
  let respond = (): void => undefined;
  readiness.register('slow', async () => {
    started += 1;
    await new Promise<void>((resolve) => (respond = resolve));
  });
  const reports = [readiness.report(), readiness.report()];
  await turn();
  respond();
  expect((await Promise.all(reports)).map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(started).toBe(1);
  const next = readiness.report();
  await turn();
  respond();
  expect([(await next).status, started]).toEqual(['ok', 2]);
});
