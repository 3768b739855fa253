import { readdirSync, readFileSync } from 'node:fs';

const SOURCE = new URL('../src/', import.meta.url);
const COMMANDS = readdirSync(new URL('../../src/commands/', import.meta.url)).map((name) =>
  name.replace(/ts$/, 'js'),
);
const STATIC_IMPORT = /^(?:import|export)\s+(?:[\w*{},\s$]+\s+from\s+)?['"]([^'"]+)['"];?$/gm;

/** Packages outside this repository that a module loads when it is imported, also through others. */
function listPackages(url: string, visited = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (visited.has(url)) return packages;
  visited.add(url);
  for (const [, name = ''] of readFileSync(new URL(url), 'utf8').matchAll(STATIC_IMPORT)) {
    if (name.startsWith('node:')) continue;
    if (name.startsWith('.')) listPackages(new URL(name, url).href, visited, packages);
    else if (name.startsWith('@ssb/')) listPackages(import.meta.resolve(name), visited, packages);
    else packages.add(name);
  }
  return packages;
}

// The help of a command has to appear within 300 ms.
it.each(['main.js', ...COMMANDS.map((name) => `commands/${name}`)])(
  'the help of %s loads no package but commander',
  (name) => {
    const packages = listPackages(new URL(name, SOURCE).href);
    packages.delete('commander');
    expect([...packages]).toEqual([]);
  },
);
