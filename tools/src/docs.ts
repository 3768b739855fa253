import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatOptions } from 'oxfmt';
import { commonSettings, standardOutput } from '@ssb/platform';
import { type ApiDocument, renderApiOperations } from './docs/api-operations.js';
import { importFromApps, importSettings } from './docs/app-modules.js';
import { readAlertRules, readRunbooks } from './docs/alerts/alert-rules.js';
import { renderAlertsIndex, renderAlertsPage } from './docs/alerts/alerts-page.js';
import { readChartValues } from './docs/chart/values-file.js';
import { renderValuesSchema } from './docs/chart/values-schema.js';
import { renderEventsPage } from './docs/events-page.js';
import { type AppMetrics, renderMetricsPage } from './docs/metrics-page.js';
import { renderProblemsPage } from './docs/problems-page.js';
import { renderPromisesPage } from './docs/promises.js';
import { renderSettingsPage } from './docs/settings-page.js';
import { createCommand } from './report/create-command.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm run docs` writes the pages that are generated from the code; `--check` reports the pages that are out of date. */
const { check } = createCommand('npm run docs --')
  .description('Writes the documentation that is generated from the code.')
  .option('--check', 'change nothing; end with status 1 when a page is out of date', false)
  .parse()
  .opts<{ check: boolean }>();

const formatOptions = JSON.parse(
  readFileSync(join(REPOSITORY_ROOT, '.oxfmtrc.json'), 'utf8'),
) as FormatOptions;

/** Prose of generated pages is wrapped as that of the others. */
const pageOptions: FormatOptions = { ...formatOptions, printWidth: 120, proseWrap: 'always' };

const CHART = 'helm/settlement-bus-bridge';
const apps = await importSettings();
const values = readChartValues(readPage(`${CHART}/values.yaml`));
const definitions = Object.fromEntries(apps.map(({ name, definition }) => [name, definition]));

/** Ends the part of a page that is written by hand. */
const GENERATED = /^<!-- The rest of this page is written by npm run docs .*-->\n/m;

await writeRest('docs/settings.md', renderSettingsPage(apps));
await writeRest('docs/events.md', renderEventsPage());
await writeRest('docs/alerts.md', renderAlertsPage(readRunbooks()));
await writeRest('docs/problems.md', renderProblemsPage());
await writeRest('docs/operate/alerts/README.md', renderAlertsIndex(readAlertRules()));
await writeRest('docs/metrics.md', renderMetricsPage(await importFromApps<AppMetrics>('metrics')));
await writeRest(
  'docs/promises.md',
  renderPromisesPage(readPage('docs/promises.yaml'), listFiles(), readPage),
);
await writePage(
  `${CHART}/values.schema.json`,
  renderValuesSchema(values, { ...definitions, common: commonSettings }),
);
const operations = renderApiOperations(JSON.parse(readPage('apps/api/openapi.json')) as ApiDocument);
for (const client of ['cli', 'console']) await writePage(`apps/${client}/src/api/operations.ts`, operations);

async function writeRest(name: string, text: string): Promise<void> {
  const page = readPage(name);
  const { 0: comment, index } = GENERATED.exec(page)!;
  await writePage(name, `${page.slice(0, index)}${comment}\n${text}\n`);
}

function listFiles(): string[] {
  const options = { cwd: REPOSITORY_ROOT, encoding: 'utf8' } as const;
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], options)
    .split('\n')
    .filter((file) => existsSync(join(REPOSITORY_ROOT, file)));
}

function readPage(name: string): string {
  return readFileSync(join(REPOSITORY_ROOT, name), 'utf8');
}

async function writePage(name: string, text: string): Promise<void> {
  const file = join(REPOSITORY_ROOT, name);
  const { code: page, errors } = await format(file, text, name.endsWith('.md') ? pageOptions : formatOptions);
  if (errors.length > 0) throw new Error(`${name} cannot be formatted: ${errors[0]?.message}`);
  if (existsSync(file) && readFileSync(file, 'utf8') === page) {
    standardOutput.write(`${name} is up to date\n`);
  } else if (check) {
    standardOutput.write(`${name} is out of date: run npm run docs and commit what it writes.\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, page);
    standardOutput.write(`${name} written\n`);
  }
}
