import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FilledSystem } from './harness/filled-system.js';
import { fuzz, type FuzzOptions, type FuzzReport, listProtectedOperations } from './openapi/fuzzer.js';
import { findKnownValues } from './openapi/known-values.js';

const MIN_CASES = 2_000;
const PROBLEM = /^application\/problem\+json/;

let folder: string;
let system: FilledSystem;
let target: Pick<FuzzOptions, 'baseUrl' | 'folder' | 'knownValues'>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  system = await FilledSystem.start(folder);
  target = { baseUrl: system.baseUrl, folder, knownValues: await findKnownValues(system) };
});

afterAll(async () => {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function expectNoFailures({ failures }: FuzzReport): void {
  expect(failures.join('\n')).toBe('');
}

describe('every response is documented, and none has a status of 500 or more,', () => {
  it(`in ${MIN_CASES} requests of an operator, right and wrong ones`, async () => {
    const report = await fuzz({
      ...{ ...target, token: system.tokens.operator, mode: 'all' },
      phases: ['examples', 'coverage', 'fuzzing'],
    });
    expectNoFailures(report);
    // The participant has one backfill, which the run cancels.
    const withoutResource = report.withoutResource.filter((name) => !name.includes('/v1/backfills/'));
    expect(withoutResource).toEqual([]);
    expect(report.cases).toBeGreaterThan(MIN_CASES);
  });

  it('when the caller may see one participant', async () => {
    const { limited } = system.tokens;
    expectNoFailures(await fuzz({ ...target, token: limited, mode: 'positive', phases: ['fuzzing'] }));
  });

  it('without credentials', async () => {
    for (const { method, path, statuses } of listProtectedOperations()) {
      const response = await fetch(target.baseUrl + path.replaceAll(/[{}]/g, ''), { method });
      const type = response.headers.get('content-type');
      expect([path, response.status, type]).toEqual([path, 401, expect.stringMatching(PROBLEM)]);
      expect(statuses).toContain('401');
    }
  });
});
