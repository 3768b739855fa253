// The suites share one bus. The first enrols the gateway that the second uses.
import './bus/third-party-clients.suite.js';
import './bus/broker-compatibility.suite.js';
import './bus/provision.suite.js';
