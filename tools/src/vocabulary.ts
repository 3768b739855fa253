import { standardOutput } from '@ssb/platform';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './system/processes.js';
import { createWordFinder, type Vocabulary } from './vocabulary/find-words.js';

/** The part of `npm run lint` that reads names, comments and docs: it ends with status 1 when a word of the list is used. */
const LIST = 'tools/vocabulary.json';

/** Written by a program: package names and wire documents. */
const NOT_OURS = /(?:^|\/)(?:package-lock\.json|vectors\/.*)$/;

const findWords = createWordFinder(
  JSON.parse(readFileSync(join(REPOSITORY_ROOT, LIST), 'utf8')) as Vocabulary,
);
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: REPOSITORY_ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => file !== '' && file !== LIST && !NOT_OURS.test(file))
  .filter((file) => existsSync(join(REPOSITORY_ROOT, file)));

let count = 0;
for (const file of files) {
  for (const { line, word, use } of findWords(file, readFileSync(join(REPOSITORY_ROOT, file), 'utf8'))) {
    const place = line === 0 ? 'file name' : String(line);
    standardOutput.write(`${file}:${place}: "${word}" is not used here. Use: ${use}.\n`);
    count += 1;
  }
}
standardOutput.write(count === 0 ? `${files.length} files, no unwanted word\n` : `${count} unwanted words\n`);
process.exitCode = count === 0 ? 0 : 1;
