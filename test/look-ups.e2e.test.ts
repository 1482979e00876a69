import { relative, resolve } from "node:path";
import { type Node, SyntaxKind } from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isComputedPropertyName,
  isElementAccessExpression,
} from "typescript/unstable/ast/is";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";
import { describe, expect, it } from "vitest";

/** Look-ups by names of this program's own, as `file: code` or the type of the object, and who chose the names. */
const OWN_NAMES: readonly (readonly [lookUp: string, why: string])[] = [
  ["Record<string, Cell>", "a view's columns name the members of its rows, and both are built here"],
  ["Readonly<Record<string, string | undefined>>", "the environment: its variables are named in the code"],
  ["cli/command-line.ts: line.flags[pendingOption.attributeName()]", "a declared option"],
  ["cli/command-line.ts: line.flags[option.attributeName()]", "a declared option"],
  ["mcp/tool-answer.ts: structured[list.key]", "a declared list of an operation"],
  ["mcp/chart/shapes.ts: value[key]", "a member of a shape that is declared here"],
  ["oauth/authorization-server.ts: headers[name]", "begins with x-forwarded-"],
  ["operations/call.ts: Object.assign(wrapped, Object.fromEntries(members))", "members of a Call"],
  ["sources/service-source.ts: Object.assign(call, Object.fromEntries(members))", "members of a Call"],
  ["sources/logs/reading/log-reader.ts: content.days[reader.day.date]", "a date of this program's own"],
  ["setup/server-command.ts: program.env[variable]", "a variable of this program"],
  [
    "sources/gateways/umami/filter-query.ts: query[taken === 0 ? name : `${name}${taken}`]",
    "a parameter of Umami's",
  ],
  ["member.ts: Reflect.get(object, name)", "looks whether the object has it"],
];

const ANY_TEXT = TypeFlags.Any | TypeFlags.Unknown | (TypeFlags.StringLike & ~TypeFlags.StringLiteral);

/** Whether a key can be any name. If it is a literal or a type parameter, the compiler knows that the object has it. */
const isAnyName = (type: Type): boolean =>
  type.isUnionType() ? type.getTypes().some(isAnyName) : (type.flags & ANY_TEXT) !== 0;

interface LookUp {
  object: Node;
  key?: Node | undefined;
}

/** What a node looks up: `object[key]`, `key in object`, `{ [key]: … } = object`, Reflect's and Object.assign. */
function readLookUp(node: Node): LookUp | undefined {
  if (isElementAccessExpression(node)) return { object: node.expression, key: node.argumentExpression };
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword)
    return { object: node.right, key: node.left };
  // `{ [key]: _, ...rest }` leaves a member out.
  if (isBindingElement(node) && node.propertyName && isComputedPropertyName(node.propertyName))
    return node.name?.getText() === "_"
      ? undefined
      : { object: node.parent, key: node.propertyName.expression };
  if (!isCallExpression(node)) return undefined;
  const [object, key] = node.arguments;
  if (object === undefined || key === undefined) return undefined;
  const name = node.expression.getText();
  if (/^Reflect\.(?:get|set|has|deleteProperty)$/.test(name)) return { object, key };
  return name === "Object.assign" ? { object: key } : undefined;
}

/** The look-ups by any name, in the files of a program below a folder. */
function findLookUps(config: string, folder: string): { code: string; type: string }[] {
  const api = new API({ cwd: resolve(".") });
  try {
    const [project] = api.updateSnapshot({ openProjects: [resolve(config)] }).getProjects();
    if (project === undefined) throw new Error(`${config} is no project.`);
    const { program, checker } = project;
    const names = program.getSourceFileNames().filter((name) => name.startsWith(`${resolve(folder)}/`));
    expect(names.length).toBeGreaterThan(0);
    return names.flatMap((name) => {
      const found: { code: string; type: string }[] = [];
      const visit = (node: Node): void => {
        const lookUp = readLookUp(node);
        if (lookUp !== undefined && takesAnyName(checker, lookUp)) {
          const type = checker.getTypeAtLocation(lookUp.object);
          found.push({
            code: `${relative(resolve(folder), name)}: ${node.getText().replaceAll(/\s+/g, " ")}`,
            type: type === undefined ? "" : checker.typeToString(type),
          });
        }
        node.forEachChild(visit);
      };
      program.getSourceFile(name)?.forEachChild(visit);
      return found;
    });
  } finally {
    api.close();
  }
}

function takesAnyName(checker: Checker, { object, key }: LookUp): boolean {
  const type = checker.getTypeAtLocation(key ?? object);
  if (type === undefined) return true;
  // Object.assign sets what it copies: `__proto__` becomes the prototype.
  return isAnyName(type) || (key === undefined && checker.getIndexInfosOfType(type).length > 0);
}

describe("names from outside", () => {
  const found = findLookUps("tsconfig.json", "src");
  const explains = (entry: string) => (each: (typeof found)[number]) =>
    entry === each.code || entry === each.type;

  it("are looked up with readMember or in a Map", () => {
    const unexplained = found.filter((each) => !OWN_NAMES.some(([entry]) => explains(entry)(each)));
    expect(unexplained).toEqual([]);
  });

  it("the list of others is as long as it has to be", () => {
    expect(OWN_NAMES.filter(([entry]) => !found.some(explains(entry)))).toEqual([]);
  });
});
