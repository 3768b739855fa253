import type { LockedPackage } from './lock-file.js';

/** Licences that permit use and redistribution without conditions on this project's own code (identifiers of SPDX). */
const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/** Packages whose package.json names no SPDX licence, with what their file LICENSE says, which was read and is allowed. */
const READ_LICENCES: Readonly<Record<string, string>> = {
  // Fonts, embedded in invoices.
  'dejavu-fonts-ttf@2.37.3': 'Bitstream-Vera',
  'png-js@1.1.0': 'MIT',
};

/** The licence of a package as SPDX expression; undefined when neither its package.json nor this file names one. */
export function licenceOf({ name, version, license }: LockedPackage): string | undefined {
  return READ_LICENCES[`${name}@${version}`] ?? license;
}

/** True if the expression permits the use: of alternatives one, of several that apply together all. A nested expression never does. */
export function isAllowed(expression: string): boolean {
  const terms = /^\(([^()]*)\)$/.exec(expression)?.[1] ?? expression;
  if (/[()]/.test(terms)) return false;
  const isListed = (term: string): boolean => ALLOWED_LICENCES.includes(term);
  return terms.includes(' OR ') ? terms.split(' OR ').some(isListed) : terms.split(' AND ').every(isListed);
}

/** One sentence for each package whose licence is unknown or not allowed, and for each read licence without its package. */
export function findLicenceProblems(packages: readonly LockedPackage[]): string[] {
  const idOf = ({ name, version }: LockedPackage): string => `${name}@${version}`;
  const problems = packages
    .filter((each) => !(idOf(each) in READ_LICENCES) && !isAllowed(each.license ?? ''))
    .map(
      (each) =>
        `${idOf(each)} has the licence ${each.license ?? 'of a file'}; allowed are ${ALLOWED_LICENCES.join(', ')}. ` +
        `Read the licence file in ${each.path}, then add the package to READ_LICENCES, or use another package.`,
    );
  for (const id of Object.keys(READ_LICENCES))
    if (!packages.some((each) => idOf(each) === id))
      problems.push(`${id} is not needed any more. Remove it from READ_LICENCES.`);
  return problems;
}

/** A Markdown table of the packages and their licences. */
export function renderLicences(packages: readonly LockedPackage[]): string {
  const rows = packages.map((each) => `| ${each.name} | ${each.version} | ${licenceOf(each) ?? 'unknown'} |`);
  return ['| package | version | licence |', '| --- | --- | --- |', ...new Set(rows), ''].join('\n');
}
