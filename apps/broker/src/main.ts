import { runApp } from '@ssb/platform';
import { broker } from './broker.app.js';

await runApp(broker);
