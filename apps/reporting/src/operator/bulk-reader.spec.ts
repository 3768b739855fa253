import { statement } from '../../test/support/records.js';
import { readBulk } from './bulk-reader.js';

const line = (runId: number | string) =>
  `{"kind":"statements","record":{"statement":${statement(0).replace('"runId":0', `"runId":${runId}`)}}}`;

describe('reading JSON lines', () => {
  it.each([
    ['with a last line feed', `${line(1)}\n${line(2)}\n`, [1, 2]],
    ['without one', `${line(1)}\n${line(2)}`, [1, 2]],
    ['with carriage returns', `${line(1)}\r\n${line(2)}\r\n`, [1, 2]],
    ['with blank lines, which count', `\n${line(1)}\n  \n\n${line(2)}`, [2, 5]],
    ['of an empty text', '', []],
  ])('%s', async (_what, text, numbers) => {
    const reading = await readBulk(text, 20);
    expect(reading).toMatchObject({ ok: true, numbers });
    expect(reading.ok ? reading.lines.length : undefined).toBe(numbers.length);
  });

  it('stops at the maximum number of issues', async () => {
    const reading = await readBulk(`${line(0)}\n`.repeat(1_000), 20);
    expect(reading.ok ? [] : reading.issues.map((issue) => issue.line)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('lets other work run in between', async () => {
    let runs = 0;
    const otherWork = setInterval(() => (runs += 1), 0);
    await readBulk(`${line(1)}\n`.repeat(2_000), 20);
    clearInterval(otherWork);
    expect(runs).toBeGreaterThan(0);
  });
});
