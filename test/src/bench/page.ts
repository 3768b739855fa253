import { readFileSync, writeFileSync } from 'node:fs';

/** The benchmarks page has no place for the figures of a section. */
export class NoPlaceError extends Error {
  override readonly name = 'NoPlaceError';

  constructor(
    readonly file: string,
    readonly section: string,
  ) {
    super(`${file} has no place for the figures of ${section}`);
  }
}

/** Puts the figures of a section between its two marks on the benchmarks page. @throws NoPlaceError */
export function writeFigures(file: string, section: string, report: string): void {
  const begin = `<!-- figures of ${section}: npm run bench -- --only ${section} --write -->`;
  const end = `<!-- end of ${section} -->`;
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new NoPlaceError(file, section);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${report.trimEnd()}\n\n${text.slice(to)}`);
}
