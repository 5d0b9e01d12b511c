# Scripts and style sheets of HTML pages as constants of a generated header, so that a program carries them.
# A script is wrapped so that a page is well-formed XML too. Each comes with its name in a Content-Security-Policy.

# "'sha256-...'" of a text, as a policy names a script or a style sheet.
function(rooftune_policy_hash text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  set(base64)
  # Three hexadecimal digits are two of base 64; 256 bits leave one digit to fill up.
  foreach(at RANGE 0 63 3)
    string(SUBSTRING "${hex}00" ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    foreach(index ${high} ${low})
      string(SUBSTRING ${digits} ${index} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${result} "'sha256-${base64}='" PARENT_SCOPE)
endfunction()

# Writes generated/<module>/<name>_resources.h with `<name>_script` and `<name>_script_hash` of <module>/page/*.js in the
# order of SCRIPTS, which share one scope, and `<name>_style` and `<name>_style_hash` of STYLES.
function(rooftune_page_resources module name)
  cmake_parse_arguments(ARG "" "" "SCRIPTS;STYLES" ${ARGN})
  foreach(kind SCRIPTS STYLES)
    set(${kind}_text)
    foreach(file ${ARG_${kind}})
      set(file ${CMAKE_CURRENT_SOURCE_DIR}/${module}/page/${file})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
      file(READ ${file} part)
      string(APPEND ${kind}_text "${part}")
    endforeach()
  endforeach()
  set(script "/*<![CDATA[*/\n'use strict';\n(function () {\n${SCRIPTS_text}})();\n/*]]>*/")
  rooftune_policy_hash("${script}" script_hash)
  rooftune_policy_hash("${STYLES_text}" style_hash)
  file(CONFIGURE OUTPUT ${ROOFTUNE_GENERATED}/${module}/${name}_resources.h @ONLY CONTENT
"// Generated from ${module}/page, so that the program carries the script and the style sheet of its pages.
#pragma once
#include \"core/modules.h\"

namespace rooftune::${module} {

inline constexpr const char* ${name}_script = R\"js(${script})js\";
inline constexpr const char* ${name}_script_hash = \"${script_hash}\";
inline constexpr const char* ${name}_style = R\"css(${STYLES_text})css\";
inline constexpr const char* ${name}_style_hash = \"${style_hash}\";

}  // namespace rooftune::${module}
")
endfunction()

# Writes generated/<module>/<name>.h with the text of a file as `<name>`.
function(rooftune_page_text module name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${ROOFTUNE_GENERATED}/${module}/${name}.h @ONLY CONTENT
"// Generated from a page of the documentation, whose words reports explain.
#pragma once
#include \"core/modules.h\"

namespace rooftune::${module} {

inline constexpr const char* ${name} = R\"text(${text})text\";

}  // namespace rooftune::${module}
")
endfunction()
