// The suites share one running system. After the rotation, killed apps start again with the new keys. Later suites replace apps.
import './resilience/key-rotation.suite.js';
import './resilience/pipeline-faults.suite.js';
import './resilience/redis-failover.suite.js';
import './resilience/replicas.suite.js';
