import { Session } from "node:inspector";

/** Own fields of an object by name, including `#private` ones, which only the inspector can see. */
export function ownFields(object: object): Map<string, unknown> {
  const fields = new Map<string, unknown>(Object.entries(object));
  slot.value = object;
  const { objectId } = post<{ result: { objectId: string } }>("Runtime.evaluate", {
    expression: "globalThis.__ownFieldsSlot.value",
  }).result;
  const { privateProperties = [] } = post<{
    privateProperties?: { name: string; value?: Remote }[];
  }>("Runtime.getProperties", {
    objectId,
    ownProperties: true,
  });
  for (const { name, value } of privateProperties) {
    if (value !== undefined) {
      fields.set(name, realValue(value));
    }
  }
  post("Runtime.releaseObject", { objectId });
  return fields;
}

/** Variables that a function captured, by name: state that an object keeps only in closures. */
export function closedOver(held: object): Map<string, unknown> {
  slot.value = held;
  const { objectId } = post<{ result: { objectId: string } }>("Runtime.evaluate", {
    expression: "globalThis.__ownFieldsSlot.value",
  }).result;
  const { internalProperties = [] } = post<Properties>("Runtime.getProperties", {
    objectId,
    ownProperties: true,
  });
  const scopes = internalProperties.find(({ name }) => name === "[[Scopes]]")?.value?.objectId;
  const found = new Map<string, unknown>();
  for (const { value: scope } of scopes === undefined ? [] : propertiesOf(scopes)) {
    // Only the functions around it: a module's or the program's variables exist once for all.
    if (scope?.objectId !== undefined && /^(Closure|Block)\b/.test(scope.description ?? "")) {
      for (const { name, value } of propertiesOf(scope.objectId)) {
        if (value !== undefined && !found.has(name) && !name.startsWith("__vite")) {
          found.set(name, realValue(value));
        }
      }
    }
  }
  post("Runtime.releaseObject", { objectId });
  return found;
}

function propertiesOf(objectId: string): readonly Property[] {
  return post<Properties>("Runtime.getProperties", { objectId, ownProperties: true }).result;
}

interface Property {
  readonly name: string;
  readonly value?: Remote;
}

interface Properties {
  readonly result: readonly Property[];
  readonly internalProperties?: readonly Property[];
}

interface Remote {
  readonly description?: string;
  readonly type: string;
  readonly value?: unknown;
  readonly unserializableValue?: string;
  readonly objectId?: string;
}

const slot: { value: unknown } = { value: undefined };
Object.assign(globalThis, { __ownFieldsSlot: slot });
const session = new Session();
session.connect();

function realValue({ type, value, unserializableValue, objectId }: Remote): unknown {
  if (objectId !== undefined) {
    post("Runtime.callFunctionOn", {
      objectId,
      functionDeclaration: "function () { globalThis.__ownFieldsSlot.value = this; }",
    });
    post("Runtime.releaseObject", { objectId });
    return slot.value;
  }
  if (unserializableValue !== undefined) {
    return type === "bigint"
      ? BigInt(unserializableValue.slice(0, -1))
      : Number(unserializableValue);
  }
  return value;
}

function post<Result>(method: string, parameters: object): Result {
  let answer: unknown;
  session.post(method, parameters, (error, result) => {
    if (error !== null) {
      throw new Error(`${method}: ${error.message}`);
    }
    answer = result;
  });
  if (answer === undefined) {
    throw new Error(`${method} did not answer at once`);
  }
  return answer as Result;
}
