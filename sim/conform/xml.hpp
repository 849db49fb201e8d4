// SPDX-License-Identifier: Apache-2.0
// Elements of an XML or HTML document, with pugixml, which escapes their texts.
#pragma once

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>
#include <string>

namespace roci::sim {

/// Adds an element that holds a text.
inline pugi::xml_node add(pugi::xml_node to, const char* name, const std::string& text = {}) {
  pugi::xml_node node = to.append_child(name);
  if (!text.empty()) node.text().set(text.c_str());
  return node;
}

/// Adds an attribute.
template <typename Value>
void set(pugi::xml_node node, const char* name, const Value& value) {
  node.append_attribute(name).set_value(fmt::format("{}", value).c_str());
}

}  // namespace roci::sim
