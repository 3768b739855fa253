import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { format, type FormatOptions } from 'oxfmt';
import { renderAlertsPage } from './docs/alerts-page.js';
import { type AppSettings, renderSettingsPage } from './docs/settings-page.js';
import { APP_BY_PROCESS, REPOSITORY_ROOT } from './system/processes.js';

/** `npm run docs` writes the pages that are generated from the code; `--check` reports the pages that are out of date. */
const { check } = new Command('npm run docs --')
  .description('Writes the documentation that is generated from the code.')
  .option('--check', 'change nothing; end with status 1 when a page is out of date', false)
  .parse()
  .opts<{ check: boolean }>();

const formatOptions = JSON.parse(
  readFileSync(join(REPOSITORY_ROOT, '.oxfmtrc.json'), 'utf8'),
) as FormatOptions;

await writePage('docs/settings.md', renderSettingsPage(await readApps()));
await writePage('docs/alerts.md', renderAlertsPage());

async function writePage(name: string, text: string): Promise<void> {
  const file = join(REPOSITORY_ROOT, name);
  const { code: page, errors } = await format(file, text, formatOptions);
  if (errors.length > 0) throw new Error(`${name} cannot be formatted: ${errors[0]?.message}`);
  if (existsSync(file) && readFileSync(file, 'utf8') === page) {
    process.stdout.write(`${name} is up to date\n`);
  } else if (check) {
    process.stdout.write(`${name} is out of date: run npm run docs and commit what it writes.\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, page);
    process.stdout.write(`${name} written\n`);
  }
}

/** Settings definitions of all apps, from the compiled code. */
async function readApps(): Promise<AppSettings[]> {
  const apps = [...new Set(Object.values(APP_BY_PROCESS))];
  return Promise.all(
    apps.map(async (name) => {
      const module = (await import(join(REPOSITORY_ROOT, 'apps', name, 'dist/src/settings.js'))) as Pick<
        AppSettings,
        'definition'
      >;
      return { name, definition: module.definition };
    }),
  );
}
