export {
  BrokerAdmin,
  BrokerAdminError,
  BrokerUnreachableError,
  DEFAULT_BROKER_AUDIENCE,
  DEFAULT_USER_ROLE,
  InvalidBrokerResponseError,
  type BrokerAdminOptions,
} from './broker-admin.js';
export {
  buildChannels,
  mergeChannel,
  type ChannelChange,
  type ChannelDefinition,
} from './domain/channels.js';
export { enrolGateway, EnrolmentError, ensureIdentity, readGateway } from './gateways.js';
export { findGatewayTasks, isEnrolled, type BusTask, type GatewayResponses } from './domain/bus-tasks.js';
