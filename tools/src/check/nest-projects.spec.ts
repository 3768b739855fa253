import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

interface NestProject {
  readonly type: string;
  readonly root: string;
  readonly sourceRoot: string;
  readonly entryFile: string;
  readonly compilerOptions: { readonly tsConfigPath: string };
}

/** Vite builds it, and it does not use Nest. */
const CONSOLE = 'apps/console';

const { projects } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'nest-cli.json'), 'utf8')) as {
  projects: Readonly<Record<string, NestProject>>;
};

describe('nest-cli.json', () => {
  it('lists every app with Nest and every library, and nothing else', () => {
    const folders = ['apps', 'libs']
      .flatMap((kind) => readdirSync(join(REPOSITORY_ROOT, kind)).map((name) => `${kind}/${name}`))
      .filter((folder) => folder !== CONSOLE);
    expect(Object.values(projects).map(({ root }) => root)).toEqual(expect.arrayContaining(folders));
    expect(Object.keys(projects)).toHaveLength(folders.length);
  });

  it.each(Object.entries(projects))('has what `nest build %s` needs', (name, project) => {
    expect(project.root.endsWith(`/${name}`)).toBe(true);
    expect(project.type).toBe(project.root.startsWith('apps/') ? 'application' : 'library');
    for (const path of [
      project.compilerOptions.tsConfigPath,
      join(project.sourceRoot, `${project.entryFile}.ts`),
    ])
      expect([path, existsSync(join(REPOSITORY_ROOT, path))]).toEqual([path, true]);
  });
});
