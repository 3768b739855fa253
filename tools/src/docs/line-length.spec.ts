import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const MAX_CHARACTERS = 159;

/** Code blocks may have longer lines, because commands are copied. */
function withoutCode(text: string): string {
  return text.replaceAll(/^( *)```.*\n(?:.*\n)*?\1```$/gm, '');
}

const PAGES = [
  'docs/*.md',
  'clients/python/README.md',
  'libs/downstream/README.md',
  'libs/events/vectors/README.md',
];

const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...PAGES], {
  cwd: REPOSITORY_ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

it('no page has long lines or tables with long cells', () => {
  const long = pages.flatMap((page) =>
    withoutCode(readFileSync(join(REPOSITORY_ROOT, page), 'utf8'))
      .split('\n')
      .filter((line) => [...line].length > MAX_CHARACTERS)
      .map((line) => `${page}: ${line.slice(0, 60)}…`),
  );
  expect(pages).toEqual(expect.arrayContaining(['docs/events.md', ...PAGES.slice(1)]));
  expect(long).toEqual([]);
});
