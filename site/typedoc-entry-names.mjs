// A TypeDoc plugin: modules bear the names by which programs import them, not those of their files.
import { Converter, ReflectionKind } from "typedoc";

const NAMES = { index: "marketwright", exchange: "marketwright/exchange" };

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      const name = NAMES[module.name];
      if (name === undefined)
        throw new Error(`${module.name} is an entry without a name: add it to NAMES in this file`);
      module.name = name;
    }
  });
}
