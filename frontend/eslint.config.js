import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] }, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/only-throw-error": ["error", { allow: [{ from: "package", package: "@tanstack/router-core", name: "Redirect" }] }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-restricted-syntax": [
        "error",
        { selector: "TSAsExpression > TSAsExpression", message: "a double cast hides a wrong type" },
        { selector: "JSXText[value=/[\\p{L}]/u]", message: "text for people comes from the catalogues" },
      ],
      "no-restricted-globals": ["error", { name: "fetch", message: "use services/api.ts" }],
    },
  },
  { files: ["src/services/api.ts", "src/test/**"], rules: { "no-restricted-globals": "off" } },
  { files: ["**/*.test.{ts,tsx}"], rules: { "no-restricted-syntax": "off", "no-restricted-globals": "off" } },
  {
    // The walks drive the program from outside.
    files: ["e2e/**"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules: { "no-restricted-globals": "off" },
  },
  { files: ["eslint.config.js"], ...tseslint.configs.disableTypeChecked },
);
