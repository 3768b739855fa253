import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const files = listFiles('git ls-files -co --exclude-standard');
/** A changelog names files of the past; the pages beside test vectors name files of their origin. */
const pages = files.filter((file) => file.endsWith('.md') && !/^CHANGELOG|\/vectors\//.test(file));

describe('the docs', () => {
  it('name only files that exist', () => {
    const missing = pages.flatMap((page) => {
      const named =
        read(page).match(/(?<![\w./-])(?:apps|libs|test|tools)\/[\w./*-]+\.(?:ts|json|js|mjs|yaml|md)\b/g) ??
        [];
      return named.filter((path) => !exists(path)).map((path) => `${page}: ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it('link only to files and headings that exist', () => {
    const missing = pages.flatMap((page) => {
      const links = [...read(page).matchAll(/\]\(([^):\s]+)\)/g)].map(([, link = '']) => link);
      return links.filter((link) => !leadsSomewhere(page, link)).map((link) => `${page}: ${link}`);
    });
    expect(missing).toEqual([]);
  });

  it('show every picture', () => {
    const pictures = files.filter((file) => file.startsWith('docs/images/'));
    const text = pages.map(read).join('\n');
    expect(pictures).toHaveLength(4);
    for (const picture of pictures) expect(text).toContain(`images/${picture.split('/').pop()}`);
  });

  it('have recipes whose commands find files', () => {
    const commands = read('CONTRIBUTING.md').match(/^git grep .*$/gm) ?? [];
    expect(commands).toHaveLength(4);
    for (const command of commands) expect(listFiles(command)).not.toEqual([]);
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(REPOSITORY_ROOT, target))) return false;
  return anchor === undefined || listAnchors(read(target)).includes(anchor);
}

/** A path may contain `*` and `**`, and may name what `tsc -b` writes. */
function exists(path: string): boolean {
  const source = path
    .replace(/\/dist\/(?=src\/|test\/)/, '/')
    .replace('/dist/', '/src/')
    .replace(/\.js$/, '.ts');
  const pattern = source
    .replaceAll('.', '\\.')
    .replaceAll('**/', '(?:.+/)?')
    .replaceAll(/(?<!\.)\*/g, '[^/]*');
  const expression = new RegExp(`^${pattern}$`);
  return files.some((file) => expression.test(file));
}

/** The anchors of a page's headings, as repository hosts make them. */
function listAnchors(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function read(file: string): string {
  return readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
}

function listFiles(command: string): string[] {
  const output = execFileSync('sh', ['-c', command], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  return output.split('\n').filter((line) => line !== '' && existsSync(join(REPOSITORY_ROOT, line)));
}
