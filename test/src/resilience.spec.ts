// The suites share one running system. After the rotation, killed apps start again with the new keys.
import './resilience/key-rotation.suite.js';
import './resilience/pipeline-faults.suite.js';
