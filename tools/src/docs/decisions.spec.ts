import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
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
  const lines = listTexts(REPOSITORY_ROOT).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
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

/** Pages, code and configuration, without what is installed or built. */
function listTexts(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(\.|node_modules$|dist$|bundles)/.test(entry.name) ? [] : listTexts(path);
    return entry.isFile() && ['.md', '.ts', '.yaml'].includes(extname(entry.name)) ? [path] : [];
  });
}
