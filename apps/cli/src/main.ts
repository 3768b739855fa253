#!/usr/bin/env node
import { prepareCommand } from '@ssb/platform/cli';
import { runBusbridge } from './busbridge.js';

prepareCommand();
process.exitCode = await runBusbridge(process.argv.slice(2));
