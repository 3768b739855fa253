// The suites share one running system. Their order matters: later ones fill the quarantine and replace apps.
import './bridge/pipeline.suite.js';
import './bridge/differences.suite.js';
import './bridge/invoice.suite.js';
import './bridge/disagreement.suite.js';
import './bridge/bench.suite.js';
import './bridge/forgery.suite.js';
import './bridge/handled-breach.suite.js';
import './bridge/console.suite.js';
import './bridge/operational-alerts.suite.js';
