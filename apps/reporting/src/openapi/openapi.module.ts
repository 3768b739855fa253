import { Module, type DynamicModule } from '@nestjs/common';
import { OpenApiController } from './openapi.controller.js';

/** Serves the description of the participants' port where the operator's people and tools reach it without a client certificate. */
@Module({})
export class OpenApiModule {
  static beside(operator: DynamicModule): DynamicModule {
    return { module: OpenApiModule, imports: [operator], controllers: [OpenApiController] };
  }
}
