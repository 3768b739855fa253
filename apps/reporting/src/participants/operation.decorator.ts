import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { toJsonSchema } from '@ssb/market';
import type { Entity } from '../access/access-decision.js';
import type { ParameterDescription } from './parameters/parameter-descriptions.js';

/** A resource of document 000 that can be described by a JSON Schema. */
export type DescribedResource = Parameters<typeof toJsonSchema>[0] & { readonly name: string };

/** The body of a 200: `{"data":…}` around one resource or a list, or the bytes of a PDF. */
export type OperationResponse =
  | { kind: 'document'; resource: DescribedResource; list: boolean }
  | { kind: 'pdf' };

export interface OperationDescription {
  /** Name in metrics, logs and the OpenAPI document. */
  id: string;
  summary: string;
  description?: string;
  /** The entity on which the access token must give R. */
  entity: Entity;
  parameters: readonly ParameterDescription[];
  response: OperationResponse;
}

/**
 * Describes a handler as an operation of document 000.
 * The access guard and the OpenAPI document read the description.
 */
export const Operation = Reflector.createDecorator<OperationDescription>();

export interface RoutedOperation extends OperationDescription {
  /** `{name}` stands for a path parameter. */
  path: string;
}

/** The operations of the controllers, in the order of their methods. */
export function listOperations(controllers: readonly Type[]): RoutedOperation[] {
  const reflector = new Reflector();
  return controllers.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) => {
      const handler = value as () => unknown;
      const operation = reflector.get(Operation, handler);
      if (operation === undefined) return [];
      const segments = [pathOf(controller), pathOf(handler)].filter((path) => path !== '/');
      return [{ ...operation, path: `/${segments.join('/').replace(/:(\w+)/g, '{$1}')}` }];
    }),
  );
}

function pathOf(target: object): string {
  return Reflect.getMetadata(PATH_METADATA, target) as string;
}
