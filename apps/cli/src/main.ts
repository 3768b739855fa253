#!/usr/bin/env node
import { endCommand, prepareCommand } from '@ssb/platform/cli';
import { runBusbridge } from './busbridge.js';
import { EXIT } from './exit.js';

prepareCommand();
// At once, also while a command waits for a response.
process.once('SIGINT', () => process.exit(EXIT.interrupted));
process.once('SIGTERM', () => process.exit(EXIT.terminated));
endCommand(await runBusbridge(process.argv.slice(2)));
