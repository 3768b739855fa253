// The suites share one bus. Each uses gateways that an earlier one has enrolled.
import './bus/third-party-clients.suite.js';
import './bus/broker-compatibility.suite.js';
import './bus/provision.suite.js';
import './bus/consumer.suite.js';
