import type { LockedPackage } from './lock-file.js';

/** Licences that permit use and redistribution without conditions on this project's own code (identifiers of SPDX). */
const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);

/** Packages whose package.json names no SPDX licence, with what their licence file says. */
const READ_LICENCES: Readonly<Record<string, { readonly licence: string; readonly source: string }>> = {
  'dejavu-fonts-ttf@2.37.3': { licence: 'Bitstream-Vera', source: 'LICENSE: fonts, embedded in invoices' },
  'png-js@1.1.0': { licence: 'MIT', source: 'LICENSE' },
};

/** Licences that only the packages of READ_LICENCES may have. */
const READ_ONLY_LICENCES: ReadonlySet<string> = new Set(['Bitstream-Vera']);

/** The licence of a package as SPDX expression; undefined when neither its package.json nor this file names one. */
export function licenceOf({ name, version, licence }: LockedPackage): string | undefined {
  return READ_LICENCES[`${name}@${version}`]?.licence ?? licence;
}

/** True if the expression permits the use: of alternatives one, of several that apply together all. A nested expression never does. */
export function isAllowed(expression: string, allowed = ALLOWED_LICENCES): boolean {
  const terms = /^\(([^()]*)\)$/.exec(expression)?.[1] ?? expression;
  if (/[()]/.test(terms)) return false;
  if (terms.includes(' OR ')) return terms.split(' OR ').some((term) => allowed.has(term));
  return terms.split(' AND ').every((term) => allowed.has(term));
}

/** One sentence for each package whose licence is unknown or not allowed. */
export function findLicenceProblems(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap((each) => {
    const licence = licenceOf(each);
    const id = `${each.name}@${each.version}`;
    if (licence === undefined)
      return [
        `${id} names no licence. Read the licence file in ${each.path}, then add the package to READ_LICENCES.`,
      ];
    const allowed = id in READ_LICENCES ? new Set([...ALLOWED_LICENCES, ...READ_ONLY_LICENCES]) : undefined;
    if (isAllowed(licence, allowed)) return [];
    return [
      `${id} has the licence ${licence}; allowed are ${[...ALLOWED_LICENCES].join(', ')}. Use another package.`,
    ];
  });
}

/** One sentence for each entry of READ_LICENCES whose package is gone, or now names a licence that is allowed. */
export function findUnneededLicences(packages: readonly LockedPackage[]): string[] {
  return Object.keys(READ_LICENCES)
    .filter((id) => {
      const read = packages.find(({ name, version }) => `${name}@${version}` === id);
      return read === undefined || (read.licence !== undefined && isAllowed(read.licence));
    })
    .map((id) => `${id} is not needed any more. Remove it from READ_LICENCES.`);
}

/** A Markdown table of the packages and their licences. */
export function renderLicences(packages: readonly LockedPackage[]): string {
  const rows = packages.map((each) => `| ${each.name} | ${each.version} | ${licenceOf(each) ?? 'unknown'} |`);
  return ['| package | version | licence |', '| --- | --- | --- |', ...new Set(rows), ''].join('\n');
}
