import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const FOLDER = join(REPOSITORY_ROOT, 'docs/decisions');
const MAX_LINES = 10;
const records = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .sort();

const numbers = records.map((file) => Number(file.slice(0, 4)));

it('gives each decision a number of its own, in its name and heading, and at most ten lines', () => {
  expect(new Set(numbers).size).toBe(records.length);
  const wrong = records.filter((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    return (
      !/^\d{4}(-[a-z0-9]+)+\.md$/.test(file) ||
      !new RegExp(`^# ${Number(file.slice(0, 4))}\\. \\S`).test(text) ||
      text.trimEnd().split('\n').length > MAX_LINES
    );
  });
  expect(wrong).toEqual([]);
});

it('names decisions in links and comments by numbers that exist', () => {
  const lines = listTexts(REPOSITORY_ROOT).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const links = lines.flatMap((line) => [...line.matchAll(/\[decision (\d+)\]\([^)]*?(\d{4})-/g)]);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(([, text, target]) => Number(text) !== Number(target)).map(([link]) => link)).toEqual(
    [],
  );

  const named = lines
    .flatMap((line) => [...line.matchAll(/\bdecision (\d+)/g)])
    .map(([, number]) => Number(number));
  expect(named.filter((number) => !numbers.includes(number))).toEqual([]);
});

/** Pages, code and configuration, without what is installed or built. */
function listTexts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(\.|node_modules$|dist$|bundles)/.test(entry.name) ? [] : listTexts(path);
    return entry.isFile() && ['.md', '.ts', '.yaml'].includes(extname(entry.name)) ? [path] : [];
  });
}
