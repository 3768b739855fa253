import { renderTable, runApp, standardOutput } from '@ssb/platform';
import { simulatorApp } from './simulator.app.js';
import { parseCommandLine } from './command-line.js';
import { listScenarios } from './scenario-files.js';
import { overrideEnvironment } from './settings.js';

const commandLine = parseCommandLine(process.argv.slice(2));
switch (commandLine.action) {
  case 'list': {
    const entries = await listScenarios();
    const rows = entries.map(({ name, kind, about }) => [name, kind, about]);
    if (commandLine.json) standardOutput.writeJson(entries, 0);
    else standardOutput.write(`${renderTable(['scenario', 'kind', 'about'], rows)}\n`);
    break;
  }
  case 'run':
    overrideEnvironment(commandLine.settings);
    await runApp(simulatorApp);
}
