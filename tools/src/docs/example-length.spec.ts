import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const MAX_LINES = 60;

const examples = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'examples/*/*'], {
  cwd: REPOSITORY_ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

it('each example program can be read at once', () => {
  const long = examples.flatMap((example) => {
    const lines = readFileSync(join(REPOSITORY_ROOT, example), 'utf8').trimEnd().split('\n').length;
    return lines < MAX_LINES ? [] : [`${example}: ${lines} lines`];
  });
  expect(examples).toEqual(
    expect.arrayContaining(['examples/typescript/service.ts', 'examples/python/service.py']),
  );
  expect(long).toEqual([]);
});
