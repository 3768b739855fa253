#!/usr/bin/env node
import { prepareCommand } from '@ssb/platform';
import { busbridge } from './busbridge.js';

prepareCommand();
await busbridge().parseAsync();
