import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const FOLDER = join(REPOSITORY_ROOT, 'docs/decisions');
const records = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .sort();

it('numbers the decisions from 1 on, each number once', () => {
  const numbers = records.map((file) => file.slice(0, 4));
  expect(numbers).toEqual(records.map((_, index) => String(index + 1).padStart(4, '0')));
});

it.each(records)('%s is named like 0001-name.md, and its heading has the number', (file) => {
  expect(file).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
  expect(readFileSync(join(FOLDER, file), 'utf8')).toMatch(
    new RegExp(`^# ${Number(file.slice(0, 4))}\\. \\S`),
  );
});

it('names decisions in links and comments by numbers that exist', () => {
  const options = { cwd: REPOSITORY_ROOT, encoding: 'utf8' } as const;
  const lines = execFileSync('git', ['grep', '--untracked', '-hE', 'decision [0-9]+'], options).split('\n');
  const links = lines.flatMap((line) => [...line.matchAll(/\[decision (\d+)\]\([^)]*?(\d{4})-/g)]);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(([, text, target]) => Number(text) !== Number(target)).map(([link]) => link)).toEqual(
    [],
  );

  const named = lines
    .flatMap((line) => [...line.matchAll(/\bdecision (\d+)/g)])
    .map(([, number]) => Number(number));
  expect(named.filter((number) => number < 1 || number > records.length)).toEqual([]);
});
