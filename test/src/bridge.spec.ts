// The suites share one running system. Their order matters: later ones replace apps and fill the quarantine.
import './bridge/pipeline.suite.js';
import './bridge/forgery.suite.js';
import './bridge/operational-alerts.suite.js';
