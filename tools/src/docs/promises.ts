import { parse } from 'yaml';

/** A promise and the tests that show it, as `docs/promises.yaml` names them. */
interface Promised {
  readonly promise: string;
  readonly tests: readonly string[];
}

/** A promise names a test that does not exist. */
export class MissingTestError extends Error {
  override readonly name = 'MissingTestError';

  constructor(readonly missing: readonly string[]) {
    super(`docs/promises.yaml names tests that do not exist. ${missing.join(' ')}`);
  }
}

/** The promises and their tests. `files` are the paths of the repository. @throws MissingTestError */
export function renderPromisesPage(
  text: string,
  files: readonly string[],
  read: (file: string) => string,
): string {
  const sections = Object.entries(parse(text) as Record<string, readonly Promised[]>);
  const missing = sections
    .flatMap(([, promises]) => promises)
    .flatMap(({ promise, tests }) =>
      tests
        .filter((test) => !exists(test, files, read))
        .map((test) => `"${test}" of the promise "${promise}"`),
    );
  if (missing.length > 0) throw new MissingTestError(missing);
  const pages = sections.map(
    ([heading, promises]) => `## ${heading}\n\n${promises.map(renderPromise).join('\n')}`,
  );
  return pages.join('\n\n');
}

function renderPromise({ promise, tests }: Promised): string {
  return [`- ${promise}`, ...tests.map((test) => `  - \`${test}\``)].join('\n');
}

function exists(test: string, files: readonly string[], read: (file: string) => string): boolean {
  const [name = '', words = ''] = test.split(' › ');
  const ends = name.endsWith('.conformance') ? [`/${name}.ts`] : [`/${name}.spec.ts`, `/${name}.suite.ts`];
  return files.some(
    (file) => ends.some((end) => `/${file}`.endsWith(end)) && (words === '' || read(file).includes(words)),
  );
}
