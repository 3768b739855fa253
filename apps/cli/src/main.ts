#!/usr/bin/env node
import { prepareCommand } from '@ssb/platform';
import { busbridge } from './busbridge.js';

prepareCommand();
const program = await busbridge(process.argv[2]);
await program.parseAsync();
