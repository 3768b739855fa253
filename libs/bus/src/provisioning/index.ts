export {
  BrokerAdmin,
  BrokerAdminError,
  BrokerUnreachableError,
  DEFAULT_BROKER_AUDIENCE,
  DEFAULT_USER_ROLE,
  InvalidBrokerResponseError,
} from './broker-admin.js';
export { buildChannels, findAccess } from './domain/channels.js';
export { enrolGateway, EnrolmentError, readGateway } from './gateways.js';
export { findGatewayTasks, isEnrolled, type BusTask, type GatewayResponses } from './domain/bus-tasks.js';
