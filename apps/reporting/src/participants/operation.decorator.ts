import { Reflector } from '@nestjs/core';
import type { Entity } from '../access/access-decision.js';

export interface OperationDescription {
  /** Name in metrics, logs and openapi.json. */
  id: string;
  /** The entity on which the access token must give R. */
  entity: Entity;
}

/** Marks a handler as an operation of document 000. The access guard reads the description. */
export const Operation = Reflector.createDecorator<OperationDescription>();
