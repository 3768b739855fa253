import { join } from 'node:path';
import { APP_BY_PROCESS, REPOSITORY_ROOT } from '../system/processes.js';
import type { AppSettings } from './settings-page.js';

/**
 * Imports the same module of every app, from the compiled code.
 * @param module path below `src`, without extension
 */
export async function importFromApps<Module extends object>(
  module: string,
): Promise<(Module & { readonly name: string })[]> {
  const apps = [...new Set(Object.values(APP_BY_PROCESS))];
  return Promise.all(apps.map(async (name) => ({ ...(await importFrom<Module>(name, module)), name })));
}

/** Settings definitions of all apps and of the command line. */
export async function importSettings(): Promise<AppSettings[]> {
  const busbridge = await importFrom<AppSettings>('cli', 'settings');
  return [...(await importFromApps<AppSettings>('settings')), { ...busbridge, name: 'busbridge' }];
}

async function importFrom<Module extends object>(app: string, module: string): Promise<Module> {
  return (await import(join(REPOSITORY_ROOT, 'apps', app, 'dist/src', `${module}.js`))) as Module;
}
