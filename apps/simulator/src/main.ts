import { renderTable, runApp } from '@ssb/platform';
import { simulatorApp } from './simulator.app.js';
import { parseCommandLine } from './command-line.js';
import { listScenarios } from './scenario-files.js';
import { overrideEnvironment } from './settings.js';

const commandLine = parseCommandLine(process.argv.slice(2));
switch (commandLine.action) {
  case 'list': {
    const entries = await listScenarios();
    const rows = entries.map(({ name, kind, about }) => [name, kind, about]);
    const text = commandLine.json
      ? JSON.stringify(entries)
      : renderTable(['scenario', 'kind', 'about'], rows);
    process.stdout.write(`${text}\n`);
    break;
  }
  case 'run':
    overrideEnvironment(commandLine.settings);
    await runApp(simulatorApp);
}
