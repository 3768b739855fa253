import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './system/app-process.js';
import { createWordFinder, type Vocabulary } from './vocabulary/find-words.js';

/** The part of `npm run lint` that reads names, comments and docs: it ends with status 1 when a word of the list is used. */
const LIST = 'tools/vocabulary.json';

/** Written by a program: package names and wire documents. */
const NOT_OURS = /(?:^|\/)(?:package-lock\.json|vectors\/.*)$/;

const findWords = createWordFinder(JSON.parse(readFileSync(join(REPOSITORY, LIST), 'utf8')) as Vocabulary);
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: REPOSITORY,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => file !== '' && file !== LIST && !NOT_OURS.test(file))
  .filter((file) => existsSync(join(REPOSITORY, file)));

let count = 0;
for (const file of files) {
  for (const { line, word, use } of findWords(file, readFileSync(join(REPOSITORY, file), 'utf8'))) {
    const place = line === 0 ? 'file name' : String(line);
    process.stdout.write(`${file}:${place}: "${word}" is not used here. Use: ${use}.\n`);
    count += 1;
  }
}
process.stdout.write(count === 0 ? `${files.length} files, no unwanted word\n` : `${count} unwanted words\n`);
process.exitCode = count === 0 ? 0 : 1;
